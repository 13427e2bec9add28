"""Show an exercise, judge an answer.

exercise, calls     what an exercise is, and the questions it asks of an answer
question            what stands between two sections
registry, listing   find the exercises, make a table of all
programs            run or fingerprint code that is text
judge, examination, known_mistakes, verdict
                    judge an answer without touching the reader's code, and name
                    its mistake (`readymade.mistake_language` has their grammar)
output_form, output_difference, output_in_words
                    compare an output with the right one, and say how it differs
check_hint_solution, solution_lock     what a reader calls; what locks solutions
cells, notebooks, atomic_write         put exercises and questions into a notebook
numpy_transformer, minilm   trained models in NumPy, the reference of explorations
"""
