"""Who is not there: what is only away is waited for within the retry budget, and said."""

from check import expect
from rig import control


def a_vtgate_that_never_answers_is_told(world):
    with control.stopped(world.cluster, "vtgate"):
        result = world.vstream.run("tail", "commerce", "--connect-timeout", "2s")
    expect(result.code == 75 and not result.stdout, result)
    expect(world.vstream.address in result.stderr.decode(), result)


def a_tablet_that_is_dead_is_waited_for(world):
    position = world.cluster.position("commerce", "0")
    with control.dead_vttablet(world.cluster, world.cluster.tablets_of("commerce", "0")[1]):
        start = ("tail", "commerce.product", "--from", f"commerce/0@{position}", "-c", "1")
        impatient = world.vstream.run(*start, "--retry-for", "3s", seconds=150)
        patient = world.vstream.start(*start)
        try:
            patient.wait_for_talk(b"commerce/0")  # it names the shard that nobody serves
        except TimeoutError:
            patient.kill()
            raise
    try:
        world.query("commerce", "update product set name = 'it is back' where id = 1")
        result = patient.wait(180)
    finally:
        patient.kill()
    expect(impatient.code == 75 and "commerce/0" in impatient.stderr.decode(), impatient)
    expect(result.code == 0 and b"it is back" in result.stdout, result)


TESTS = [a_vtgate_that_never_answers_is_told, a_tablet_that_is_dead_is_waited_for]
