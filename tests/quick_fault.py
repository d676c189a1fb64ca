"""A fault that loads nothing, for processes that try it."""


def inject(chance, _folder):
    return chance.choice(("one", "two"))
