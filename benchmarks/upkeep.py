from changes import Changes
TITLES: dict[str, str] = {}
GROUPS: list[str] = []
class Upkeep(Changes):
    pass
