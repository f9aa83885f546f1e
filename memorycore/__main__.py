"""`python -m memorycore`: the command line."""

from memorycore.faces.cli import main

if __name__ == "__main__":
    main()
