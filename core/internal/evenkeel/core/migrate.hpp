#pragma once

// Moves objects to their owners: plan, reserve, vote, exchange, vote, commit. Fields of the
// application change only at the commit, which cannot fail. If one rank fails before that, all
// ranks throw the same Error and keep their objects.

#include <evenkeel/core/migrate/move.hpp>
#include <evenkeel/core/migrate/plan.hpp>
