"""Words of the sample corpus, in three pools that share common words only.

A held-out word can still be told by its suffix or by the common words around it: that is what a
model has to learn from the training pool.
"""

from dataclasses import dataclass
from itertools import product

from sample_frames import (
    DEV_EVENT_FRAMES,
    DEV_OTHER_FRAMES,
    TEST_EVENT_FRAMES,
    TEST_OTHER_FRAMES,
    TRAIN_EVENT_FRAMES,
    TRAIN_OTHER_FRAMES,
)


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
    fillers (tuple[str, ...]): Adverbials between a part and the verb. Of words joined by slashes
        one is drawn.
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


def _illnesses(stems: str) -> tuple[str, ...]:
    endings = ("itis", "algia", "osis", "opathy")
    return tuple(stem + ending for stem, ending in product(stems.split(), endings))


def _drugs(onsets: str) -> tuple[str, ...]:
    endings = ("orix", "adol", "ipine", "ostat", "azole", "uvir")
    return tuple(onset + ending for onset, ending in product(onsets.split(), endings))


# function words, words for times and amounts, and a few verbs of every patient report
COMMON_WORDS = frozenset(
    _list(
        "i|me|my|she|her|he|his|we|us|our|they|it|you|your|this|that|there|the|a|an|some|any"
        "|each|every|other|more|most|in|on|at|to|from|with|within|without|for|by|as|of|into|out"
        "|up|off|down|over|about|until|since|after|before|during|because|and|or|but|so|than|then"
        "|when|while|which|who|what|if|not|no|none|nothing|all|both|very|too|also|well|again|never|away"
        "|still|only|just|even|was|were|is|are|am|be|been|had|has|have|do|does|did|will|would"
        "|can|could|one|two|three|four|left|right|upper|lower|mg|ml"
        "|first|second|third|last|day|days|week|weeks|month|months|year|hour|hours|minutes|morning|night"
        "|beginning|end|may|june|july|august|winter|today|once|right|straight|long|dose|doses"
        "|take|taking|took|gave|made|makes|said|says|use|using|came|most|spite|help|helps|,|.|!|?"
    )
)

TRAIN = Lexicon(
    degrees=_list(
        "severe|terrible|horrible|mild|moderate|constant|awful|dreadful|massive|excessive"
        "|persistent|frequent|serious|sharp|dull|strange|intermittent|unpleasant|burning|stabbing"
        "|gnawing|chronic|unusual|continual|nervous|disabling|violent|evident|obvious|enormous|harmful"
        "|stressful|extensive|invasive|possible|horrific|nagging|biting|elaborate|distant|lasting"
    ),
    regions=_list(
        "joint|shoulder|back|knee|neck|chest|hip|muscle|stomach|jaw|elbow|ankle|wrist|leg|arm|foot"
        "|hand|head|calf|thigh|finger|skin|kidney|liver|ear|eye|throat|heel|scalp|tendon|nerve"
        "|upper body|lower back|upper arm|abdominal|muscular|facial|pelvic|lumbar|dental|vascular"
        "|tailbone|pulmonary"
    ),
    parts=_list(
        "fingers|toes|hands|feet|legs|arms|knees|ankles|shoulders|calves|thighs|eyes|ears|lips"
        "|muscles|joints|elbows|wrists|hips|heels|gums|cheeks|ribs|thumbs|nails|cheekbones"
    ),
    symptoms=_list(
        "pain|stiffness|numbness|weakness|swelling|cramps|spasms|tenderness|bleeding|itching"
        "|irritation|inflammation|discomfort|infection|dryness|twitching|sensation|dullness|trembling"
        "|tension|pulsation|sickness|rawness|jerking|clicking|blockage|damage|trouble"
    ),
    events=_list(
        "nausea|dizziness|sleepiness|tiredness|drowsiness|forgetfulness|vomiting|sweating|fatigue"
        "|insomnia|depression|confusion|constipation|palpitations|headache|backache|toothache"
        "|hallucinations|fever|anxiety|irritability|weight gain|hair loss|memory loss|nervousness"
        "|sleeplessness|coughing|sneezing|hypertension|anaemia"
    ),
    illnesses=_illnesses("arthr my neur gastr dermat cephal bronch nephr hepat col cyst rhin"),
    qualities=_list(
        "hurting|stiffening|clicking|numb|tingling|aching|swollen|stiff|sore|weak|cramped|bruised|blistered|cold|trembling"
        "|peeling|bleeding|scarred|twitching|ulcerated|inflamed|creaking|gaping|lumpy|red|dry"
        "|loosened|warped|thickened|strained|tired|wounded"
    ),
    states=_list(
        "numb|stiff|sore|weak|swollen|itchy|painful|bruised|useless|blistered|heavy|shaky|cramped"
        "|clumsy|rigid|motionless|scarred|patchy|lumpy|bumpy|creaky|leaky|painless|stiffened"
        "|colourless|bloated|inflamed|icy|warm|purple|pale|red|dry|tender|jerky|limp|slack"
    ),
    changes=_list(
        "felt|went|became|got|began to be|started to feel|appeared|fell|kept getting|seemed"
        "|continued to be|came to be|rested|returned|tended to be"
    ),
    fillers=_list(
        "suddenly/slowly/gradually/heavily/temporarily/instantly/partly/mostly/readily/promptly"
        "|, for no reason ,|, for some/any reason/motive ,|on both sides/edges/ends"
        "|after the first/second/third/long week/month/walk/shower/night/bath/trip"
        "|in/during the morning/afternoon/autumn/meeting/show/summer|at work/lunch/school/sea"
        "|within a few hours/minutes|every single/other night/hour/Monday/Friday/weekend"
        "|, which had been fine/good/healthy ,|, which used to work/move ,"
    ),
    spreads=_list("radiating to|moving down to|travelling up into"),
    drugs=_drugs(
        "Vel Zan Kor Mip Tav Lus Pram Dex Fil Gam Hest Jov Nal Oxt Quin Ruf Aber Arv Bol Bex Calv"
        " Cov Dorm Elt Esk Fant Glav Ib Imm Kles Lom Mand Nov Plex Rem Sav Sin Stel Tem Uld Vand"
        " Wil Wost Yal Zib"
    ),
    forms=_list("tablets|capsules|drops|injections|pills"),
    people=_list(
        "doctor|nurse|sister|brother|husband|wife|neighbour|pharmacist|friend|specialist|physician"
        "|boss|father|grandmother|nephew|son|niece|girlfriend|dermatologist|coach|tutor|lawyer"
        "|secretary|landlady|roommate|technician|aunt|priest|plumber|consultant|professor"
    ),
    places=_list(
        "bag|drawer|kitchen|car|desk|locker|bathroom|basement|case|briefcase|hut|shed|satchel|glovebox|jar|board"
    ),
    materials=_list(
        "wool|cotton|leather|apple|cherry|carrot|paper|silver|cheese|chicken|wooden|woollen|melon|salmon|glass|plastic|lamb|cream|ginger"
    ),
    objects=_list("scarves|cakes|soups|jackets|baskets|sandwiches|salads|bracelets"),
    event_frames=TRAIN_EVENT_FRAMES,
    other_frames=TRAIN_OTHER_FRAMES,
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
    event_frames=DEV_EVENT_FRAMES,
    other_frames=DEV_OTHER_FRAMES,
)

TEST = Lexicon(
    degrees=_list(
        "intolerable|unbearable|frightful|pitiful|oppressive|intensive|recurrent|tremendous"
        "|monstrous|crushing|shooting|grinding|desperate|significant"
    ),
    regions=_list(
        "knuckle|bladder|waist|gland|spinal|forehead|underarm|molar|jugular|midfoot|shinbone"
        "|renal|urinary|collarbone|upper spine|lower eyelid"
    ),
    parts=_list(
        "knuckles|eyelids|limbs|shinbones|soles|temples|forearms|kneecaps|glands|eyebrows"
        "|underarms|tonsils"
    ),
    symptoms=_list(
        "soreness|tightness|heaviness|achiness|throbbing|ulceration|cramping|strain|convulsion"
    ),
    events=_list(
        "lightheadedness|queasiness|breathlessness|restlessness|moodiness|shivering|fainting"
        "|agitation|dehydration|exhaustion|bellyache|earache|hypersomnia|obesity|fatness"
        ""
    ),
    illnesses=_illnesses("gloss mast angi kerat oste chondr laryng pancreat blephar fibr"),
    qualities=_list("stinging|prickling|chapped|puckered|quivering|infected|burned|flaking"),
    states=_list("blotchy|flaky|lifeless|powerless|puckered|chapped|crampy|listless"),
    changes=_list("turned|grew|stayed|proved"),
    fillers=_list(
        "abruptly|steadily|, without a cause ,|at last|after the third month"
        "|at noon|, which never happens ,"
    ),
    spreads=_list("spreading to|shifting up into"),
    drugs=_drugs("Alm Bren Ced Drav Erm Sul Torv Wex"),
    forms=_list("pellets|ampoules|infusions|lozenges"),
    people=_list("therapist|daughter|mother|stepfather|florist|dietician|uncle"),
    places=_list("purse|cupboard|pouch|suitcase|wallet"),
    materials=_list("linen|velvet|lemon|pepper|cinnamon|plum"),
    objects=_list("blankets|loaves|pancakes|caskets|pies"),
    event_frames=TEST_EVENT_FRAMES,
    other_frames=TEST_OTHER_FRAMES,
)
