# recordings.py - whole streams of accesses of programs, which the pages of WHOMP and of hot data streams share.
# SPDX-License-Identifier: GPL-3.0-or-later
from programs import Run
from shop import Broken

# By the program of SPEC that each represents; whole runs.
GZIP = Run("gzip", "-c part", None, "164.gzip")
BZIP2 = Run("bzip2", "-c part", None, "256.bzip2")
ANNEAL = Run("anneal", "20000 300000", "600 2000", "175.vpr")
MST = Run("mst", "800 16", "300 8", "181.mcf")
MINISAT = Run("minisat", "-verb=0 formula.cnf", None, "186.crafty")
PUGIXML = Run("pugixml", "list.xml", None, "197.parser")
LUA = Run("lua", "script.lua 6000", "script.lua 300", "253.perlbmk")
TOUR = Run("tour", "10000 7 20", "1000 7 8", "300.twolf")
TCC = Run("tcc", "-c -nostdinc source.c -o source.o", None, "176.gcc")
LEDGER = Run("ledger", "20000 7 10", "600 7 4", "255.vortex")
HEALTH = Run("health", "5 200", "3 50", "boxsim")
SQLITE3 = Run("sqlite3", ":memory: '.read script.sql'", None, "SQL server")


def whole(shop, run, environment=()):
    """The profile of a run with its whole stream; also the grammar of addresses."""
    return shop.profile(run, "whole_stream", "streams=rasg", environment=environment)


def streams_of(path):
    return path.removesuffix(".json") + ".streams"


def analysis(shop, run):
    """Hot data streams of a run, by object, with all that the paper's figures need."""
    found = shop.json("streams", "--json", "--name=object", "--wps", "--cdf", "--level=1", "--potential",
                      "--cache=1024,2048,4096,8192,16384,32768,65536", "--top=1", whole(shop, run))
    hot = found["hot_streams"]
    if not (found["whole_stream"]["accesses"] > 10000 and 0 < hot["coverage"] <= 1 and hot["found"] and hot["wps0_ascii"]):
        raise Broken(f"streams: {run.text()}: absurd: {hot['references']} references, {hot['found']} streams")
    return found
