"""The predicates of ``rules.vocabulary``, by name. Each is a pure function of a context and of words."""

from kernwright.find.predicates import (
    accuracy,
    alignment,
    control,
    general,
    memory,
    numbers,
    order,
    subscripts,
    vectors,
)
from kernwright.find.predicates.binding import Binding, Predicate

IMPLEMENTATIONS: dict[str, Predicate] = {
    **general.PREDICATES,
    **memory.PREDICATES,
    **subscripts.PREDICATES,
    **order.PREDICATES,
    **control.PREDICATES,
    **numbers.PREDICATES,
    **accuracy.PREDICATES,
    **vectors.PREDICATES,
    **alignment.PREDICATES,
}

__all__ = ["IMPLEMENTATIONS", "Binding", "Predicate"]
