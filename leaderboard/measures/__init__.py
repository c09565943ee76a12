"""Measures: numbers in, numbers out.

`names` writes and reads a measure as text, `ranking` and `compatibility` hold the measures of ranked
retrieval, `relatedness` those of word pairs, `external` hands any other measure to ir-measures.
"""
