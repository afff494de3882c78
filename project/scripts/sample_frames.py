"""Sentence frames of the sample corpus, in pools that share common words only.

A word in braces is a slot, filled by ``sample_grammar``; of words joined by slashes one is drawn.
"""


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


TRAIN_EVENT_FRAMES = _lines(
    """
    I had/developed/noticed/felt {ade} after starting/trying/changing/tasting {drug} .
    I developed/observed/contracted/described/showed {ade} on/with {drug} .
    {drug} caused/triggered/produced/started/meant/worsened {ade} .
    After two/three/four weeks/months/years on {drug} I noticed/felt/discovered {ade} .
    The {ade} began/started/appeared/vanished on the first/second/third/last day/night .
    My {person} stopped/changed/cancelled/forbade/lowered {drug} because of {ade} .
    I suffered/recovered/fled from {ade} and could not sleep/work/walk/think/eat .
    I suffer from {ade} since I take/try/need {drug} .
    My {state} .
    My {state} on/with {drug} .
    My {state} last/this Monday/month/week/year/summer .
    My {state} right/straight away/dinner/breakfast .
    My {state} forever/anyway/tonight/today/indeed .
    On/With {drug} my {state} .
    Honestly/Sadly/Today/Sometimes/Afterwards/Recently/Still/Also/Again , my {state} .
    Since/After the first/second/third/last dose/pill/month/night/box my {state} .
    My {state} after/before/when/while taking/using/trying/swallowing {drug} .
    I started/stopped/tried {drug} in May/March/August/easter , and then my {state} .
    My {person} said/thinks/claims/knows my {state} because of {drug} .
    First/Next/Then/There/Here came/followed/appeared/struck {ade} , followed by {ade} .
    There were/was {ade} at/from/until/since the beginning/start/end .
    I have/get/had {ade} again/today/still/too .
    I endure {ade} in spite of {drug} .
    As for me/him/them , {drug} makes {ade} worse .
    One dose/box/bottle of {drug} gave/cost me {ade} .
    It was/is {ade} that made me stop {drug} .
    In/On/By/At June/July/August/Easter there/it was {ade} .
    There were/was {ade} in/during/after the first/second/third/early week/day/month .
    I have/get/fear/hate/expect {ade} every day/afternoon/time .
    The side/main/known/worst effects/problems/issues/symptoms were {ade} .
    I also experienced/mentioned {ade} but my {person} and my {person} did not believe/mind me .
    Since {drug} my {state} and I have {ade} .
    It/This/That/Nothing/Something helped/worked/improved , but {ade} made/forced me stop .
    She was in hospital/bed/tears with {ade} after only one/two dose/doses/week of {drug} .
    With/Without/Under {drug} I have had {ade} for three/four months/weeks/nights/hours .
    {ade} !
    No/Never more {drug} for me because of the {ade} .
    I was fine/happy/healthy/sleeping until {ade} started/struck/arrived/developed .
    Has/Had anyone/somebody else experienced/noticed/seen {ade} with/on {drug} ?
    The leaflet/website/package/label of {drug} mentions/lists/names/describes/denies {ade} .
    I took/swallowed/drank/tested {drug} and had {ade} all/most/every night/day/morning .
    My {person} had/feared/got {ade} when he was on {drug} .
    They/We/You said/thought/knew/found that {ade} comes/stems/arises from {drug} .
    Perhaps/Maybe/Clearly it/this is {ade} that stops/scares/hurts/tires me most .
    Apart/Aside/Far/Free from {ade} , {drug} works/helps/is fine/great/good .
    What/Which helps/works against {ade} and who knows/likes {drug} ?
    """
)

TRAIN_OTHER_FRAMES = _lines(
    """
    I took/used/had {drug} for a year/season/decade without problems/trouble/change .
    My {person} and the {person} recommended/praised/advised/like/trust {drug} .
    I switched/moved/went from {drug} to {drug} .
    My {person} prescribed {drug} and it works/helps .
    We bought/wanted/ate/cleaned/lost {goods} at/in the market/shop/park/village .
    My {person} and the/my/a {person} were kind/late/busy/away/wonderful .
    I keep/hide/have/lock {drug} in my {place} and my/the {place} .
    The {goods} were cheap/new/old/ready/ugly/gone .
    I am/was still waiting/hoping/longing for my {person} to call/write/answer .
    I waited/walked/slept/read for 20 or 30 days/hours/minutes at/beside the clinic/school .
    My {person} , my/the {person} and the {person} take/need {drug} .
    I left/found/forgot/dropped it in my {place} or in my {place} .
    I was/am/feel happy/content/pleased with {drug} .
    My {person} and my {person} talked/joked/argued about the weather/bill/trip/game .
    The {person} opened/closed/painted the door/gate and the window/roof .
    I read/lost the leaflet/label and asked/phoned/thanked the {person} .
    They/Friends/People paid/offered/exchanged {drug} for/against {drug} today .
    Their {person} and a/the {person} waved/laughed/shouted at me/us .
    """
)

DEV_EVENT_FRAMES = _lines(
    """
    This medicine brought me {ade} .
    I experience {ade} whenever I use {drug} .
    My {state} once I increased {drug} .
    Then my {state} again .
    My {person} ended up with {ade} due to {drug} .
    I reported {ade} and {drug} was withdrawn .
    Nobody warned me about {ade} .
    """
)

DEV_OTHER_FRAMES = _lines(
    """
    {drug} agrees with my {person} and the {person} .
    The {person} and my {person} smiled .
    They sold {goods} near the station .
    I store {drug} in my {place} and in the {place} .
    """
)

TEST_EVENT_FRAMES = _lines(
    """
    She complained/despaired of {ade} with {drug} .
    {drug} gave/left me {ade} .
    There had been {ade} since the last dose .
    I quit/ceased/discontinued {drug} owing to {ade} .
    My {state} while on {drug} .
    Lately/Lastly/Meanwhile , my {state} .
    Since the third dose my {state} .
    As for {drug} , my {state} right away .
    I never had/suspected {ade} before {drug} .
    It is {ade} that bothers/annoys me most .
    In June/July there was {ade} again .
    I wake up with {ade} .
    In spite of {ade} , I take {drug} .
    We associate/connect/link {ade} with {drug} .
    I tolerated/survived {ade} on/with {drug} .
    My {person} blames/accuses/suspects {drug} for the {ade} .
    Two doses of {drug} left me with {ade} .
    """
)

TEST_OTHER_FRAMES = _lines(
    """
    My {person} and the {person} swear by {drug} .
    He ordered/collected {goods} for us .
    I carry {drug} in my {place} and my {place} .
    They replaced {drug} by {drug} last winter/quarter .
    My {person} , her {person} and the {person} visited me .
    We queued 10 or 20 days for it .
    The {person} packed {goods} into the {place} and the {place} .
    Her {person} and a {person} listened to us .
    """
)

UNSEEN_EVENT_FRAMES = _lines(
    """
    Does {drug} always bring {ade} ?
    Yesterday , I woke with {ade} again .
    Please tell me whether {ade} will ever fade .
    Halfway through {drug} , my {state} .
    Neither rest nor tea cured the {ade} that I owe to {drug} .
    Later my {state} , so I threw {drug} away .
    """
)
UNSEEN_OTHER_FRAMES = _lines(
    """
    Our {person} and her {person} were given {drug} last spring .
    The {person} sent {goods} to the ward .
    """
)
