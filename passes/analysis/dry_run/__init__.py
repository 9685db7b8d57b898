"""Execution of the ``program`` stage without data: control, addresses, channels and who touches which bytes.

Units meet only in channels, so what is ordered does not depend on timing: one execution with vector clocks decides
races and deadlock for every timing of its class of inputs. ``values`` has integers that the run does not know,
``choices`` what stands in for them, ``scalars`` the meaning of scalar ops, ``code`` turns a program into steps,
``memory`` remembers accesses, ``machine`` runs all units, ``execute`` lets it do so with as many iterations as
decide, ``between`` compares cores, ``check`` goes through the classes of inputs.
"""
