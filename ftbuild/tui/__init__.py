"""The screen: terminal, document, fields, panes, verdict, dialogs."""
