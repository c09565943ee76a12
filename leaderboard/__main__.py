"""``python -m leaderboard``: the command line."""

from leaderboard.cli import main

if __name__ == "__main__":
    main(prog_name="python -m leaderboard")
