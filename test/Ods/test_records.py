"""Types and attributes of ours: parameters, absent ones, classes of values, several contexts and threads."""

import threading

import pytest
import sample

from spyrec import ods
from spyrec.mlir import ir


def test_parameters_absent_and_present() -> None:
    with sample.context():
        plain = sample.BoxType.make(content=ir.IndexType.get())
        labelled = sample.BoxType.make(content=ir.IndexType.get(), label=7)
        assert str(plain) == "!sample.box_type<index, unit>"
        assert str(labelled) == "!sample.box_type<index, 7 : i64>"
        assert plain.label is None
        assert str(plain.content.value) == "index"
        assert labelled.label is not None
        assert labelled.label.value == 7
        assert plain != labelled
        with pytest.raises(TypeError, match="parameter content is missing"):
            sample.BoxType.make(label=1)
        with pytest.raises(TypeError, match="no parameter lable"):
            sample.BoxType.make(content=ir.IndexType.get(), lable=1)


def test_values_arrive_as_our_classes_in_each_context() -> None:
    for _ in range(3):
        with sample.context():
            box = ir.Type.parse("tensor<1x!sample.box_type<f16, unit>>")
            assert isinstance(box.element_type, sample.BoxType)
            assert isinstance(ir.Attribute.parse('[#sample.mode<"fast">]')[0], sample.ModeAttr)


def test_a_constraint_names_the_class_and_what_it_fixes() -> None:
    assert sample.Box.classes == ("sample.box",)
    assert sample.Box.fixed is None
    assert sample.Token.fixed == "!sample.token"


def test_contexts_in_threads() -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                with sample.context(), ir.Location.unknown():
                    module = ir.Module.parse('"sample.poke"() : () -> ()')
                    assert isinstance(module.body.operations[0], sample.PokeOp)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_loading_twice_is_harmless() -> None:
    made = sample.context()
    ods.load(made, (sample.Sample,))
    assert made.is_dialect_loaded("sample")
