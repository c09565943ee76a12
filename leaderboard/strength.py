"""Whether a secret was made at random, as far as can be seen."""

from __future__ import annotations

LEAST_SECRET = 32
"""So many characters a secret has at least: 192 bits, where they are random."""

TOLD = ("secret", "change", "password", "default", "example", "insecure", "development", "dev-")
"""Words of examples and defaults. A random secret has one of them once in some millions of times."""


def is_guessable(secret: str) -> bool:
    """Whether a secret is one that nobody has made at random: short, of a few different characters, the same
    again and again, or with a word that examples have."""
    return (
        len(secret) < LEAST_SECRET
        or len(set(secret)) < LEAST_SECRET // 4
        or _repeats(secret)
        or any(word in secret.lower() for word in TOLD)
    )


def _repeats(secret: str) -> bool:
    return any(secret[period:] == secret[:-period] for period in range(1, len(secret) // 2 + 1))
