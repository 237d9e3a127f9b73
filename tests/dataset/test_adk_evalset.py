from tests.support.cases import lines, loaded_value


def test_an_id_that_reports_cannot_show_is_a_finding_and_the_other_cases_are_given() -> None:
    conversation = [{"user_content": {"parts": [{"text": "hi"}]}}]
    ids = ("good", "two\nlines")
    got = loaded_value({"eval_cases": [{"eval_id": name, "conversation": conversation} for name in ids]})
    assert [case.id for case in got.cases] == ["good"]
    assert lines(got.findings) == ["g.json:17:3 error bad-value: 'two\\nlines' cannot be the id of a case"]
