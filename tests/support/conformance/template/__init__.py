"""A whole protocol to copy from, in three files: CONTRIBUTING, "Add a protocol", says where each goes.

It speaks no agent's language: `POST /say`, and an answer of JSON lines that ends with `{"done": true}`.
"""
