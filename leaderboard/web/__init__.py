"""The pages: one blueprint a noun; a view asks one service and renders what it says.

`access` refuses every route that names no rule; `answers` renders, and saves what the reader has already;
`preferences` knows the reader's language and appearance; `filters` put messages, times and numbers into
that language; `assets` serves our own style, scripts and fonts.
"""
