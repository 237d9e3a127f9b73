from gate.publish.columns import aligned, width


def test_cells_stand_below_each_other_whatever_their_script() -> None:
    lines = aligned([("case", "mean"), ("天気", "1.00"), ("e\u0301te\u0301", "-")], right=[1])
    assert lines == ["case  mean", "天気  1.00", "e\u0301te\u0301      -"]
    assert len({width(line) for line in lines}) == 1


def test_no_line_ends_in_blanks() -> None:
    assert aligned([("a", "long"), ("b", "")]) == ["a  long", "b"]
