"""Short names stay different, and say what sets them apart."""

from hypothesis import example, given
from hypothesis import strategies as st

from pywbms._terminal.names import shortened
from pywbms._terminal.wording import weight_text

words = st.sampled_from(["mean", "worst", "radius", "of", "the", "cell", "_", "gene", "1", "2"])
names = st.lists(st.lists(words, min_size=1, max_size=14).map(" ".join), unique=True, max_size=12)


@given(names=names | st.lists(st.text(max_size=60), max_size=8), width=st.integers(12, 30))
@example(names=["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40], width=12)
@example(names=["a" * 40 + c + "b" * 40 + d for c in "xy" for d in "uv"], width=12)
@example(names=["x" * 13 + c * 30 + d for c in "ab" for d in "yz"], width=12)
def test_different_names_stay_different_and_none_is_too_long(names, width):
    found = shortened(names, width)
    plain = [" ".join(name.split()) for name in names]
    assert len(set(zip(plain, found, strict=True))) == len(set(plain))
    assert len(set(found)) == len(set(plain))
    for name, short in zip(plain, found, strict=True):
        assert len(short) <= width
        if len(name) <= width and "~" not in short:
            assert short == name


def test_what_follows_a_shared_beginning_is_shown():
    months = [f"mean temperature of the air in {m}" for m in ("January", "February", "March")]
    assert shortened(months, 20) == [
        "mean tempera…January",
        "mean temper…February",
        "mean temperatu…March",
    ]


@given(weight=st.floats(0, 1))
def test_weights_are_never_written_as_powers_or_zeros_that_are_none(weight):
    text = weight_text(weight)
    assert "e" not in text
    if weight == 0:
        assert text == "0"
    elif weight < 0.001:
        assert text == "< 0.001"
    else:
        assert float(text) > 0
        assert abs(float(text) - weight) <= 0.005 + 1e-15  # a tie is rounded either way
