"""Formats: text in, columns out, or every fault with its line number.

`upload` unpacks what was sent, `text` decodes it, `pairs` and `trec_run` read runs, `qrels` and `topics`
what organisers provide.
"""
