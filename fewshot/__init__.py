"""Packs: examples, facts, descriptions and demo data, and the loader."""

from querymend.fewshot.build import build_warehouse as build_warehouse
from querymend.fewshot.build import warehouse_path as warehouse_path
from querymend.fewshot.pack import Pack as Pack
from querymend.fewshot.pack import Question as Question
from querymend.fewshot.pack import load_pack as load_pack
from querymend.fewshot.pack import pack_names as pack_names

__all__ = ["Pack", "Question", "build_warehouse", "load_pack", "pack_names", "warehouse_path"]
