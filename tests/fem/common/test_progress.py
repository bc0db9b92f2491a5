"""Progress bars: quiet unless somebody looks."""

from fem.common.progress import progress


def test_quiet_when_standard_error_is_not_a_terminal(capsys):
    with progress(3, "steps") as bar:
        for _ in range(3):
            bar.update(1)
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out == ""


def test_shows_what_and_how_far_when_asked(capsys):
    with progress(0.06, "simulating", unit="s", show=True) as bar:
        bar.update(0.03)
        bar.refresh()
    text = capsys.readouterr().err
    assert "simulating" in text
    assert "0.03/0.06 s" in text
