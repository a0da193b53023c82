#pragma once

// Moves objects to their owners: plan, reserve, vote, exchange, vote, commit. Until the commit,
// which cannot fail, every field of the application is untouched. If one rank refuses, all throw
// the same Error and keep their objects.

#include <evenkeel/core/migrate/move.hpp>
#include <evenkeel/core/migrate/plan.hpp>
