"""What the assistant knows: card scans, contacts, companies and events, invented and never written to."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A card as the OCR reads it: raw spelling, raw phone number."""

    name: str
    title: str
    company: str
    phone: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A card that is already in the directory; `phone` is in normal form."""

    id: str
    name: str
    title: str
    company: str
    phone: str
    email: str
    context: str
    topics: tuple[str, ...]

    def text(self) -> str:
        """Everything that a search looks at, in lower case."""
        return " ".join((self.name, self.title, self.company, self.context, *self.topics)).lower()


SCANS = {
    "lin": Scan(
        name="  Lin  Mei-Hua ",
        title="VP Engineering",
        company="ACME CLOUD",
        phone="Tel: 0912-345-678",
        email="Mei.Lin@acme-cloud.example",
    ),
    "chen": Scan(
        name="Chen Wei-Ting",
        title="Director of Research",
        company="FORMOSA AI",
        phone="(0922) 111 222",
        email="WT.Chen@formosa-ai.example",
    ),
}

CONTACTS = (
    Contact(
        id="card-chen-wei-ting",
        name="Chen Wei-Ting",
        title="Research Lead",
        company="Formosa AI Ltd.",
        phone="+886922111222",
        email="wt.chen@formosa-ai.example",
        context="2026 Cloud Summit",
        topics=("AI", "language models"),
    ),
    Contact(
        id="card-grace-wu",
        name="Grace Wu",
        title="Head of Platform",
        company="Harbour Robotics Inc.",
        phone="+886933444555",
        email="grace.wu@harbour-robotics.example",
        context="2026 Cloud Summit",
        topics=("AI", "warehouse robots"),
    ),
    Contact(
        id="card-huang-jun",
        name="Huang Jun",
        title="Partner",
        company="Ridge Capital",
        phone="+886955666777",
        email="jun@ridge-capital.example",
        context="2025 Founders Night",
        topics=("seed investor",),
    ),
)

COMPANIES = {
    "acme cloud": ("Acme Cloud Inc.", "cloud infrastructure"),
    "formosa ai": ("Formosa AI Ltd.", "machine learning"),
}

EVENTS = {"2026 cloud summit": "Taipei, June 2026", "2025 founders night": "Hsinchu, November 2025"}


def normal_phone(raw: str) -> str:
    """Write a Taiwanese number from a card in E.164 form: `0912-345-678` gives `+886912345678`."""
    digits = re.sub(r"\D", "", raw)
    return "+886" + digits.removeprefix("886").removeprefix("0")


def known(*, phone: str, email: str) -> Contact | None:
    """Find the contact who has this phone number (normal form) or this e-mail address (lower case)."""
    return next((one for one in CONTACTS if phone == one.phone or email == one.email), None)


def find(terms: list[str], *, all_of_them: bool) -> list[Contact]:
    """Contacts whose text holds all terms (or any of them) as whole words, in the directory's order."""
    enough = all if all_of_them else any
    return [one for one in CONTACTS if terms and enough(_has(one.text(), term) for term in terms)]


def _has(text: str, term: str) -> bool:
    return re.search(rf"\b{re.escape(term.lower())}\b", text) is not None
