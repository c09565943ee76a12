"""Judging: what to ask people, and what follows from their answers.

Pure: candidates, answers and seeds in; the next pairs, rankings, levels and agreement out. Items are called
by their docno, topics by their name; a pair of words is an item too.
"""
