#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# sample.py demo|half|clos64|faults|hostile|rising|falling|empty: prints an artificial
# document in the format that the page receives (report/data.h), for tests of the page
# without the simulator. The figures of the document are not results of the simulator.
import json
import math
import sys

MS = 10**9
PARTS = ["host_ps", "pace_ps", "queue_ps", "lanai_ps", "host_dma_ps", "wire_ps",
         "switch_ps", "blocked_ps"]


def latency(middle_ps, packets):
    """Return a bell curve on a logarithmic axis with four steps per factor of two."""
    pairs = []
    for step in range(-8, 13):
        share = math.exp(-step * step / 14 if step < 0 else -step / 2.2)
        count = int(packets * share / 5)
        if count:
            pairs.append([int(middle_ps * 2 ** (step / 4)), count])
    return {"p50_ps": middle_ps, "p90_ps": middle_ps * 2, "p99_ps": middle_ps * 5,
            "max_ps": middle_ps * 8, "histogram": pairs}


def flow(number, source, target, rate, times_ps, weights, **more):
    """Return a flow of about `rate` bytes/s; weights: parts of a packet's time in us."""
    series = [rate * (1 + 0.12 * math.sin(i / 3 + number)) for i in range(len(times_ps))]
    packets = int(rate * times_ps[-1] / 1e12 / 4096)
    parts = dict(zip(PARTS, (int(weight * 1e6 * packets) for weight in weights)))
    return {
        "flow": number, "name": "%d to %d" % (source, target), "source_rank": source,
        "target_rank": target, "node": source + 1, "target_node": target + 1, "port": 2,
        "target_port": 2, "label": 0, "communicator": "", "class": "unregulated",
        "bytes": int(rate * times_ps[-1] / 1e12), "packets": packets,
        "mean_bytes_s": rate, "sent_bytes_s": series,
        "arrived_bytes_s": [0] + series[:-1], "reserved": None,
        "times": {"packets": packets, **parts}, "latency": latency(int(sum(weights) * 1e6), packets),
        **more,
    }


def drawing(width, height, is_beside, is_bent, host_width, host_height):
    """Return the sizes of all boxes."""
    return {"width": width, "height": height, "pitch": 130, "is_beside": is_beside,
            "is_bent": is_bent, "host_width": host_width, "host_height": host_height,
            "switch_height": 20}


def crossbar(nodes):
    """Return a network with one switch; each node's cable is two links."""
    links = []
    for node in range(1, nodes + 1):
        ends = {"node": node, "port": 0}, {"switch": 0, "port": node - 1}
        for end in (ends, ends[::-1]):
            links.append({"link": len(links), "from": end[0], "to": end[1]})
    return {
        "drawing": drawing(1040, 190, False, False, 144, 90),
        "nodes": [{"node": node, "x": 1040 * node // (nodes + 1), "y": 133,
                   "foot": 1040 * node // (nodes + 1), "ranks": [node - 1]}
                  for node in range(1, nodes + 1)],
        "switches": [{"switch": 0, "name": "switch 0", "x": 520, "y": 22, "width": 1000,
                      "ports": nodes, "level": 0}],
        "links": links,
    }


def clos(leaves, spines, hosts):
    """Return a network with two levels of switches: leaves, and spines above the leaves."""
    nodes, links = [], []

    def cable(one, other):
        for ends in ((one, other), (other, one)):
            links.append({"link": len(links), "from": ends[0], "to": ends[1]})

    for leaf in range(leaves):
        for host in range(hosts):
            node = leaf * hosts + host + 1
            x, y = leaf * 130 + 17 + host % 4 * 32, 264 + host // 4 * 15
            nodes.append({"node": node, "x": x, "y": y, "foot": x - 14, "ranks": [node - 1]})
            cable({"node": node, "port": 0}, {"switch": leaf, "port": host})
        for spine in range(spines):
            cable({"switch": leaf, "port": hosts + spine},
                  {"switch": leaves + spine, "port": leaf})
    switches = [{"switch": leaf, "name": "", "x": leaf * 130 + 65, "y": 242, "width": 124,
                 "ports": hosts + spines, "level": 0} for leaf in range(leaves)]
    switches += [{"switch": leaves + spine, "name": "", "x": (2 * spine + 1) * leaves * 65 // spines,
                  "y": 22, "width": 104, "ports": leaves, "level": 1}
                 for spine in range(spines)]
    return {"drawing": drawing(leaves * 130, 297, False, True, 28, 12), "nodes": nodes, "switches": switches, "links": links}


def mesh(columns, rows):
    nodes, links = [], []

    def cable(one, other):
        for ends in ((one, other), (other, one)):
            links.append({"link": len(links), "from": ends[0], "to": ends[1]})

    for at in range(columns * rows):
        x, y = at % columns * 130 + 40, at // columns * 130 + 22
        nodes.append({"node": at + 1, "x": x + 46, "y": y + 61, "foot": x + 8, "ranks": [at]})
        cable({"node": at + 1, "port": 0}, {"switch": at, "port": 4})
        if at % columns + 1 < columns:
            cable({"switch": at, "port": 0}, {"switch": at + 1, "port": 1})
        if at + columns < columns * rows:
            cable({"switch": at, "port": 2}, {"switch": at + columns, "port": 3})
    return {"drawing": drawing(columns * 130, rows * 130, True, False, 64, 50),
            "nodes": nodes, "links": links,
            "switches": [{"switch": at, "name": "", "x": at % columns * 130 + 40,
                          "y": at // columns * 130 + 22, "width": 30, "ports": 5, "level": 0}
                         for at in range(columns * rows)]}


def end_text(end):
    return "node %d" % end["node"] if "node" in end else "switch %d" % end["switch"]


def load(topology, busy):
    """Add its load to each link; busy(link): part of the run in which the link is busy."""
    for link in topology["links"]:
        share = busy(link)
        name = "%s to %s" % (end_text(link["from"]), end_text(link["to"]))
        if "switch" in link["from"]:
            name = "port %d of %s to %s" % (link["from"]["port"], end_text(link["from"]),
                                            end_text(link["to"]))
        link.update(name=name, bytes=int(share * 16e6), utilisation=share,
                    saturated=max(0, share - 0.35), blocked_ps=int(share**3 * 4 * MS),
                    flows=[])


def cards(topology, busy):
    return [{"node": node["node"], "lanai": busy(node), "host_dma": busy(node) * 0.7,
             "send_dma": busy(node) * 0.5, "receive_dma": busy(node) * 0.3,
             "lanai_series": [busy(node) * (0.5 + 0.5 * math.sin(i / 9)) for i in range(400)]}
            for node in topology["nodes"]]


def run(topology, title, ranks):
    return {
        "title": title, "complete": True, "end_ps": 100 * MS, "version": "0.1.0",
        "program": "mpi-stream", "ranks": [{"rank": rank, "node": rank + 1, "port": 2}
                                           for rank in range(ranks)],
        "cluster": {"description": None, "profile": "lanai4.3", "seed": 1, "changed": []},
        "topology": topology, "cards": cards(topology, lambda node: 0.8 / node["node"] ** 0.3),
        "times_ps": [(i + 1) * MS // 4 for i in range(400)], "flows": [], "others": None,
        "matrix": None, "decisions": [], "faults": [], "stalls": [], "findings": [],
    }


def demo():
    data = run(crossbar(4), "The demo", 4)
    times = data["times_ps"]
    data["flows"] = [
        flow(1, 0, 2, 40e6, times, [2, 30, 5, 12, 15, 8, 1, 4],
             reserved=[[0, 0], [8 * MS, 40e6]], communicator="video", **{"class": "premium"}),
        flow(2, 1, 2, 78e6, times, [2, 0, 45, 12, 15, 8, 1, 160],
             **{"class": "best effort"}),
        flow(3, 3, 2, 15.3e6, times, [2, 0, 5, 12, 15, 8, 1, 80]),
        flow(4, 2, 0, 0.2e6, times, [2, 0, 1, 12, 4, 1, 1, 0]),
    ]
    load(data["topology"], lambda link: 0.97 if link["to"].get("node") == 3
         else 0.3 if link["from"].get("node") in (1, 2) else 0.0)
    for link in data["topology"]["links"]:
        if link["to"].get("node") == 3:
            link["flows"] = [{"flow": 2, "bytes": 7800000, "blocked_ps": 40 * MS,
                              "lost_bytes_s": 11e6, "lost_least_bytes_s": 5e6},
                             {"flow": 1, "bytes": 4000000, "blocked_ps": MS,
                              "lost_bytes_s": 0}]
    data["hosts"] = [{"rank": 0, "worked": 0.84, "computed": 0.1},
                     {"rank": 2, "worked": 0.3, "computed": 0}]
    data["decisions"] = [
        {"ps": 8 * MS, "kind": "grant", "rank": 0, "text": "rank 0 asked 40 MB/s to rank 2: granted"},
        {"ps": 30 * MS, "kind": "denial", "rank": 3,
         "text": "rank 3 asked 90 MB/s to rank 2: denied, node 3's link has 12.6 MB/s left"},
    ]
    data["findings"] = [
        {"weight": 9, "text": "Port 2 of switch 0 (to node 3) was saturated for 62 % of the run; "
         "flow 1 to 2 lost up to 11 MB/s there.", "link": 5},
        {"weight": 7, "text": "Flow 0 to 2 had what was reserved for it: 40.0 MB/s.", "flow": 1},
        {"weight": 5, "text": "The LANai of node 1 was busy for 80 % of the run.", "node": 1},
        {"weight": 1, "text": "1 request was denied."},
    ]
    return data


def half():
    """Return the demo on 8 ranks, in which one flow has half of its rate."""
    data = demo()
    data["title"] = "Half of it"
    data["record"] = "half.run"
    data["matrix"] = [[a * 8 + b for b in range(8)] for a in range(8)]
    for one in data["flows"]:
        if one["name"] == "1 to 2":
            one["mean_bytes_s"] /= 2
    return data


def many(weight):
    """Return a run of 12 flows with fixed names; weight(i): relative size of flow i."""
    data = run(crossbar(13), "Many", 13)
    data["flows"] = [flow(i + 1, i, 12, 1e6 * weight(i), data["times_ps"],
                          [2, 0, 5, 12, 15, 8, 1, 4]) for i in range(12)]
    return data


def clos64():
    data = run(clos(8, 8, 8), "alltoall on a Clos of 64", 64)
    times = data["times_ps"]
    rate = lambda number: 0.4e6 + 8e6 / (number + 2)
    data["flows"] = [flow(i + 1, i * 7 % 64, (i * 13 + 5) % 64, rate(i), times,
                          [2, 0, 40 + i, 12, 15, 8, 3, 200 - 2 * i]) for i in range(40)]
    data["others"] = {"flows": 3992, "bytes": 150 * 10**6, "packets": 40000,
                      "sent_bytes_s": [1.6e9 * (1 + 0.2 * math.sin(i / 5)) for i in range(400)],
                      "arrived_bytes_s": [1.6e9 * (1 + 0.2 * math.cos(i / 5))
                                          for i in range(400)]}
    data["matrix"] = [[0 if a == b else 32768 * (1 + (a * b) % 7) for b in range(64)]
                      for a in range(64)]
    load(data["topology"], lambda link: (link["link"] * 37 % 100) / 100 *
         (1 if "switch" in link["from"] and "switch" in link["to"] else 0.8))
    for link in data["topology"]["links"]:
        link["flows"] = [{"flow": 1 + (link["link"] + i) % 40, "bytes": 40960,
                          "blocked_ps": MS // (i + 1), "lost_bytes_s": 1e5 / (i + 1)}
                         for i in range(8)]
    data["findings"] = [{"weight": 1, "text": "The links between switches were blocked most.",
                         "link": 40},
                        {"weight": 0.5, "text": "Flow 17 to 0 was the slowest.", "flow": 40}]
    return data


def faults():
    data = run(mesh(4, 4), "A mesh with faults", 16)
    times = data["times_ps"]
    data["complete"] = False
    data["flows"] = [flow(i + 1, i, (i * 5 + 3) % 16, 5e6 + 3e6 * i, times,
                          [2, 0, 10, 12, 15, 8, 5, 10 * i]) for i in range(16)]
    load(data["topology"], lambda link: (link["link"] * 29 % 90) / 100)
    data["cluster"].update(description="clusters/mesh-4x4.yaml", seed=7, changed=[
        {"name": "resend_timer", "value": 20, "unit": "ms", "default": 50,
         "meaning": "time that a NIC waits for an acknowledgement"}])
    data["faults"] = [{"ps": 20 * MS, "text": "link from switch 3 to switch 7 goes down"},
                      {"ps": 45 * MS, "text": "link from switch 3 to switch 7 works again"}]
    data["stalls"] = [{"ps": 30 * MS, "text": "flow 3 to 2 stopped: its send failed", "flow": 4}]
    data["matrix"] = [[(a * 3 + b) % 5 * 10**6 if a != b else 0 for b in range(16)]
                      for a in range(16)]
    data["findings"] = [{"weight": 2, "text": "2 faults: 131 packets were sent again.",
                         "flow": 4}]
    return data


HOSTILE = ["</script ><b>bold</b>", "<!--<script>alert(1)</script >", "\" onclick=\"x' &amp;",
           "\u202e\u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627", "\U0001f600\U0001f468\u200d\U0001f469",
           "x" * 300, "<img src=http://127.0.0.1:9/x onerror=alert(1)>", "a\nb\tc\u2028d"]


def hostile():
    """Return a document in which every name contains markup or a script."""
    data = demo()
    for i, one in enumerate(data["flows"]):
        one["name"] = HOSTILE[i]
        one["communicator"] = HOSTILE[i + 4]
    for i, link in enumerate(data["topology"]["links"]):
        link["name"] = HOSTILE[i % len(HOSTILE)]
    for i, one in enumerate(data["findings"]):
        one["text"] = HOSTILE[i]
    data["decisions"][0]["text"] = HOSTILE[0]
    data["decisions"][1]["text"] = HOSTILE[6]
    data["title"] = "</title ><b>" + HOSTILE[0] + HOSTILE[6]
    data["program"] = HOSTILE[1]
    data["cluster"]["description"] = HOSTILE[2]
    data["cluster"]["changed"] = [{"name": HOSTILE[6], "value": 1, "unit": HOSTILE[0],
                                   "default": 2, "meaning": HOSTILE[5]}]
    return data


SAMPLES = {
    "demo": demo, "clos64": clos64, "half": half, "faults": faults, "hostile": hostile,
    "rising": lambda: many(lambda i: i + 1), "falling": lambda: many(lambda i: 12 - i),
    "empty": lambda: {"title": "Nothing"},
}

if __name__ == "__main__":
    json.dump(SAMPLES[sys.argv[1]](), sys.stdout)
