"""Parse, call one method, render."""
