"""Leaderboard runs shared tasks for text and retrieval research."""

__version__ = "0.1.0"
