'''The questions between the sections: a file for each chapter that has some.

`exercises/questions/attention.py` defines `QUESTIONS`, in the order of the page. Its
"row_sums" is known as "attention.row_sums", so it is called like no exercise:

    QUESTIONS = {
        "row_sums": Question(
            task="""
    The weights are a matrix with a row for each query. What sums to 1?

    - **A** each row
    - **B** each column
    - **C** each row and each column
    """,
            right="A",
            because="Each word distributes its own attention.",
            mistakes={
                "B": "A column holds what all words give to one of them.",
                "C": "Only the rows went through a softmax.",
            },
        ),
    }

A question takes half a minute, without code or a calculator. It stands where a reader
would read on too fast, and each tempting wrong answer has a sentence of its own.
`exercises/engine/question.py` describes the fields.
'''
