"""Words and sentence frames of the sample corpus, in three pools that share function words only.

A held-out word can still be told by its suffix or by the function words around it: that is what a
model has to learn from the training pool. Frames are sentences with slots in braces; what fills a
slot is in ``sample_grammar``.
"""

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Lexicon:
    """The words and frames one part of the corpus is made of.

    degrees (tuple[str, ...]): Adjectives before a symptom ("severe").
    regions (tuple[str, ...]): Parts of the body before a symptom noun ("joint", "lower back").
    parts (tuple[str, ...]): Parts of the body in the plural ("knees").
    symptoms (tuple[str, ...]): Nouns that follow a region ("pain").
    events (tuple[str, ...]): Nouns that stand on their own ("nausea").
    illnesses (tuple[str, ...]): Names of illnesses ("gastritis").
    qualities (tuple[str, ...]): Adjectives before a part ("tingling fingers").
    states (tuple[str, ...]): Adjectives after a verb ("my legs went numb").
    changes (tuple[str, ...]): Verbs before a state.
    fillers (tuple[str, ...]): Adverbials between a part and the verb, each up to six tokens.
    spreads (tuple[str, ...]): Links from a symptom to the place it spreads to.
    drugs (tuple[str, ...]): Names of medicines.
    forms (tuple[str, ...]): What a medicine comes as, in the plural.
    people (tuple[str, ...]): Persons.
    places (tuple[str, ...]): Where things are kept.
    materials (tuple[str, ...]): Nouns before an object.
    objects (tuple[str, ...]): Things to buy.
    event_frames (tuple[str, ...]): Sentences that hold an adverse event.
    other_frames (tuple[str, ...]): Sentences without one.
    """

    degrees: tuple[str, ...]
    regions: tuple[str, ...]
    parts: tuple[str, ...]
    symptoms: tuple[str, ...]
    events: tuple[str, ...]
    illnesses: tuple[str, ...]
    qualities: tuple[str, ...]
    states: tuple[str, ...]
    changes: tuple[str, ...]
    fillers: tuple[str, ...]
    spreads: tuple[str, ...]
    drugs: tuple[str, ...]
    forms: tuple[str, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]
    materials: tuple[str, ...]
    objects: tuple[str, ...]
    event_frames: tuple[str, ...]
    other_frames: tuple[str, ...]


def _list(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split("|"))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


def _illnesses(stems: str) -> tuple[str, ...]:
    endings = ("itis", "algia", "osis", "opathy")
    return tuple(stem + ending for stem, ending in product(stems.split(), endings))


def _drugs(onsets: str) -> tuple[str, ...]:
    endings = ("orix", "adol", "ipine", "ostat", "azole", "uvir")
    return tuple(onset + ending for onset, ending in product(onsets.split(), endings))


FUNCTION_WORDS = frozenset(
    _list(
        "i|me|my|she|her|he|his|we|us|our|they|it|you|your|this|that|there|the|a|an|some|any"
        "|each|every|other|more|most|in|on|at|to|from|with|within|without|for|by|as|of|into|out"
        "|up|off|down|over|about|until|since|after|before|during|because|and|or|but|so|than|then"
        "|when|while|which|who|what|if|not|no|none|nothing|all|both|very|too|also|well|again"
        "|still|only|just|even|was|were|is|are|am|be|been|had|has|have|do|does|did|will|would"
        "|can|could|one|two|three|four|left|right|upper|lower|mg|ml|,|.|!|?"
    )
)

TRAIN = Lexicon(
    degrees=_list(
        "severe|terrible|horrible|mild|moderate|constant|awful|dreadful|massive|excessive"
        "|persistent|frequent|serious|sharp|dull|strange|intermittent|unpleasant|burning|stabbing"
        "|gnawing|chronic|unusual|continual|nervous|disabling"
    ),
    regions=_list(
        "joint|shoulder|back|knee|neck|chest|hip|muscle|stomach|jaw|elbow|ankle|wrist|leg|arm|foot"
        "|hand|head|calf|thigh|finger|skin|kidney|liver|ear|eye|throat|heel|scalp|tendon|nerve"
        "|upper body|lower back|upper arm|abdominal|muscular|facial|pelvic|lumbar|dental|vascular"
    ),
    parts=_list(
        "fingers|toes|hands|feet|legs|arms|knees|ankles|shoulders|calves|thighs|eyes|ears|lips"
        "|muscles|joints|elbows|wrists|hips|heels|gums|cheeks|ribs"
    ),
    symptoms=_list(
        "pain|stiffness|numbness|weakness|swelling|cramps|spasms|tenderness|bleeding|itching"
        "|irritation|inflammation|discomfort|infection|dryness|twitching|sensation"
    ),
    events=_list(
        "nausea|dizziness|sleepiness|tiredness|drowsiness|forgetfulness|vomiting|sweating|fatigue"
        "|insomnia|depression|confusion|constipation|palpitations|headache|backache|toothache"
        "|hallucinations|fever|anxiety|irritability|weight gain|hair loss|memory loss|nervousness"
        "|sleeplessness|coughing|sneezing|hypertension|anaemia"
    ),
    illnesses=_illnesses("arthr my neur gastr dermat cephal bronch nephr hepat col cyst rhin"),
    qualities=_list(
        "numb|tingling|aching|swollen|stiff|sore|weak|cramped|bruised|blistered|cold|trembling"
        "|peeling|bleeding|scarred|twitching|ulcerated"
    ),
    states=_list(
        "numb|stiff|sore|weak|swollen|itchy|painful|bruised|useless|blistered|heavy|shaky|cramped"
        "|clumsy|rigid|motionless|scarred"
    ),
    changes=_list("felt|went|became|got|began to be|started to feel"),
    fillers=_list(
        "suddenly|slowly|gradually|, for no reason ,|on both sides|after the second week"
        "|in the morning|within a few hours|every single night|, which had been fine ,"
    ),
    spreads=_list("radiating to|moving down to|travelling up into"),
    drugs=_drugs("Vel Zan Kor Mip Tav Lus Pram Dex Fil Gam Hest Jov Nal Oxt Quin Ruf"),
    forms=_list("tablets|capsules|drops|injections|pills"),
    people=_list(
        "doctor|nurse|sister|brother|husband|wife|neighbour|pharmacist|friend|specialist"
        "|physician|boss"
    ),
    places=_list("bag|drawer|kitchen|car|desk|locker|bathroom"),
    materials=_list("wool|cotton|leather|apple|cherry|carrot|paper|silver|cheese|chicken"),
    objects=_list("scarves|cakes|soups|jackets|baskets|sandwiches|salads|bracelets"),
    event_frames=_lines(
        """
        I had {ade} after starting {drug} .
        I developed {ade} on {drug} .
        {drug} caused {ade} .
        After two weeks on {drug} I noticed {ade} .
        The {ade} began on the first day .
        My {person} stopped {drug} because of {ade} .
        I suffered from {ade} and could not sleep .
        I suffer from {ade} since I take {drug} .
        My {state} .
        My {state} on {drug} .
        On {drug} my {state} .
        My {state} after taking {drug} .
        I started {drug} in May , and then my {state} .
        My {person} said my {state} because of {drug} .
        First came {ade} , followed by {ade} .
        I have {ade} every day .
        The side effects were {ade} .
        I also experienced {ade} but my {person} and my {person} did not believe me .
        Since {drug} my {state} and I have {ade} .
        It helped , but {ade} made me stop .
        She was in hospital with {ade} after only one week of {drug} .
        With {drug} I have had {ade} for three months .
        {ade} !
        No more {drug} for me because of the {ade} .
        I was fine until {ade} started .
        Has anyone else experienced {ade} with {drug} ?
        The leaflet of {drug} mentions {ade} .
        I took {drug} and had {ade} all night .
        My {person} had {ade} when he was on {drug} .
        """
    ),
    other_frames=_lines(
        """
        I took {drug} for a year without problems .
        My {person} and the {person} recommended {drug} .
        I switched from {drug} to {drug} .
        My {person} prescribed {drug} and it works .
        We bought {goods} at the market .
        My {person} and the {person} were kind .
        I keep {drug} in my {place} and my {place} .
        The {goods} were cheap .
        I am still waiting for my {person} to call .
        I waited 20 or 30 minutes at the clinic .
        My {person} , my {person} and the {person} take {drug} .
        I left it in my {place} or in my {place} .
        I was happy with {drug} .
        My {person} and my {person} talked about the weather .
        The {person} opened the door and the window .
        I read the leaflet and asked the {person} .
        """
    ),
)

DEV = Lexicon(
    degrees=_list("incredible|recent|aggressive|continuous|startling"),
    regions=_list("toe|belly|rib|forearm|intestinal|nasal|heart|lower chin|pharynx"),
    parts=_list("nostrils|buttocks|pupils|ligaments|forefingers"),
    symptoms=_list("redness|puffiness|hardening|congestion|itchiness"),
    events=_list("sluggishness|snoring|disorientation|leukaemia|bloating|hoarseness|indigestion"),
    illnesses=_illnesses("enter stomat rachi ten"),
    qualities=_list("pulsing|withered|weakened|bloodless"),
    states=_list("scratchy|lame|speckled|hopeless|irritated"),
    changes=_list("remained|looked"),
    fillers=_list("quickly|, out of nowhere ,|on one flank|by the evening"),
    spreads=_list("reaching up to|creeping into"),
    drugs=_drugs("Bast Cil Yor"),
    forms=_list("syrups|granules"),
    people=_list("cousin|teacher|dentist|manager"),
    places=_list("garage|pocket|office"),
    materials=_list("onion|satin|potato|copper"),
    objects=_list("stews|shirts|rings"),
    event_frames=_lines(
        """
        This medicine brought me {ade} .
        I experience {ade} whenever I use {drug} .
        My {state} once I increased {drug} .
        Then my {state} again .
        My {person} ended up with {ade} due to {drug} .
        I reported {ade} and {drug} was withdrawn .
        Nobody warned me about {ade} .
        """
    ),
    other_frames=_lines(
        """
        {drug} agrees with my {person} and the {person} .
        The {person} and my {person} smiled .
        They sold {goods} near the station .
        I store {drug} in my {place} and in the {place} .
        """
    ),
)

TEST = Lexicon(
    degrees=_list(
        "intolerable|unbearable|frightful|pitiful|oppressive|intensive|recurrent|tremendous"
        "|monstrous|crushing|shooting|grinding|desperate|significant"
    ),
    regions=_list(
        "knuckle|bladder|waist|gland|spinal|forehead|underarm|molar|jugular|midfoot|shin|groin"
        "|renal|upper spine|lower eyelid|cervical"
    ),
    parts=_list(
        "knuckles|eyelids|limbs|shins|palms|soles|temples|forearms|kneecaps|glands|eyebrows"
        "|underarms|tonsils"
    ),
    symptoms=_list(
        "soreness|tightness|heaviness|achiness|throbbing|ulceration|cramping|strain|convulsion"
    ),
    events=_list(
        "lightheadedness|queasiness|breathlessness|restlessness|moodiness|shivering|fainting"
        "|agitation|dehydration|exhaustion|bellyache|earache|hypersomnia|obesity|fatness"
        "|appetite decline"
    ),
    illnesses=_illnesses("gloss mast angi kerat oste chondr laryng pancreat blephar fibr"),
    qualities=_list("stinging|prickling|chapped|puckered|quivering|infected|burned|flaking"),
    states=_list("blotchy|flaky|lifeless|powerless|puckered|chapped|crampy|frail|listless"),
    changes=_list("turned|grew|stayed|seemed to go"),
    fillers=_list(
        "abruptly|steadily|, without a cause ,|at last|after the third month"
        "|at noon|, which never happens ,"
    ),
    spreads=_list("spreading to|shifting up into"),
    drugs=_drugs("Alm Bren Ced Drav Erm Sul Torv Wex"),
    forms=_list("pellets|ampoules|infusions|lozenges"),
    people=_list("therapist|daughter|mother|uncle|colleague|surgeon|landlord"),
    places=_list("purse|cupboard|cabin|suitcase|wallet"),
    materials=_list("linen|velvet|plum|lemon|rubber|pumpkin|ham"),
    objects=_list("blankets|loaves|pies|necklaces|hats"),
    event_frames=_lines(
        """
        She complained of {ade} with {drug} .
        {drug} gave me {ade} .
        There was {ade} from the very beginning .
        I quit {drug} owing to {ade} .
        My {state} while on {drug} .
        Worse , my {state} .
        Since the third dose my {state} .
        As for {drug} , my {state} straight away .
        I never had {ade} before {drug} .
        It is {ade} that bothers me most .
        Along crept {ade} in June .
        I wake up with {ade} .
        Besides {ade} , {drug} does nothing for me .
        My {person} blames {drug} for the {ade} .
        Two doses of {drug} left me with {ade} .
        """
    ),
    other_frames=_lines(
        """
        My {person} and the {person} swear by {drug} .
        He ordered {goods} for us .
        I carry {drug} in my {place} and my {place} .
        They replaced {drug} by {drug} last winter .
        My {person} , her {person} and the {person} visited me .
        We queued 10 or 20 days for it .
        The {person} packed {goods} into the {place} and the {place} .
        Her {person} and a {person} listened to us .
        """
    ),
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
