"""Dialogs over the desk and the start page; each is imported when it opens."""
