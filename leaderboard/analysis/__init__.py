"""Is a difference real, and is a measure any good: intervals, tests, groups, agreement of rankings.

Pure: arrays and seeds in, numbers out. A *unit* is what chance would choose anew: a topic, a pair of words, a
source word with all its pairs. Matrices have a row for each run and a column for each unit.
"""
