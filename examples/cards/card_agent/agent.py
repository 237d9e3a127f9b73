"""The graph: ingest (parallel branches, a pause, an edit loop), search with a fallback, e-mail draft."""

from google.adk.agents import LlmAgent
from google.adk.workflow import FunctionNode, JoinNode, Workflow

from . import nodes
from .model import DRAFT, UNDERSTAND, ScriptedModel
from .switches import broken

_MODEL = ScriptedModel(model="scripted-1")

router = FunctionNode(name="Router", func=nodes.route_prompt)
understand = LlmAgent(name="Understand", model=_MODEL, instruction=UNDERSTAND)
greet = FunctionNode(name="Greet", func=nodes.greet)

vision_ocr = FunctionNode(name="VisionOCR", func=nodes.vision_ocr)
clean_and_dedup = FunctionNode(name="CleanAndDedup", func=nodes.clean_and_dedup)
company_enrich = FunctionNode(name="CompanyEnrich", func=nodes.company_enrich)
context_match = FunctionNode(name="ContextMatch", func=nodes.context_match)
merge = JoinNode(name="MergeBranches")
build_preview = FunctionNode(name="BuildPreview", func=nodes.build_preview)
hitl_confirm = FunctionNode(name="HITLConfirm", func=nodes.hitl_confirm, rerun_on_resume=True)
apply_edit = FunctionNode(name="ApplyEdit", func=nodes.apply_edit)
save_card = FunctionNode(name="SaveCard", func=nodes.save_card)
discard = FunctionNode(name="Discard", func=nodes.discard)

strict_search = FunctionNode(name="StrictSearch", func=nodes.strict_search)
broad_search = FunctionNode(name="BroadSearch", func=nodes.broad_search)
show_hits = FunctionNode(name="ShowHits", func=nodes.show_hits)
draft_email = LlmAgent(name="DraftEmail", model=_MODEL, instruction=DRAFT, output_key="email_draft")

all_branches = (clean_and_dedup, company_enrich, context_match)
branches = (clean_and_dedup, context_match) if broken("node") else all_branches

root_agent = Workflow(
    name="cards",
    edges=[
        ("START", router),
        (router, {"ingest": vision_ocr, "search": strict_search, "draft": strict_search}),
        (router, {"understand": understand, "greet": greet}),
        (understand, router),
        (vision_ocr, branches, merge, build_preview, hitl_confirm),
        (hitl_confirm, {"edit": apply_edit, "save": save_card, "discard": discard}),
        (apply_edit, build_preview),
        (strict_search, {"show": show_hits, "draft": draft_email, "broad": broad_search}),
        (broad_search, {"show": show_hits}),
    ],
)
