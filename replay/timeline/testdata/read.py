"""Reads a timeline by Perfetto's own definitions, under the rules of its importer, and
prints what it shows as the tests' parser does: a line for each slice, instant and count."""

import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackDescriptor, TrackEvent

trace = Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())

tracks, events, names, notes = {}, [], {}, {}
started = False
for packet in trace.packet:
    assert packet.trusted_packet_sequence_id == 1, packet
    if packet.sequence_flags & TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
        names, notes, started = {}, {}, True
    assert started and packet.sequence_flags & TracePacket.SEQ_NEEDS_INCREMENTAL_STATE, "a packet before its state"
    names.update((n.iid, n.name) for n in packet.interned_data.event_names)
    notes.update((n.iid, n.name) for n in packet.interned_data.debug_annotation_names)
    kind = packet.WhichOneof("data")
    if kind == "track_descriptor":
        d = packet.track_descriptor
        assert d.uuid not in tracks, "described twice"
        if d.HasField("process"):
            assert d.process.pid > 0 and not d.HasField("parent_uuid")
            path = d.process.process_name
        else:
            path = tracks[d.parent_uuid][0] + "/" + d.name
        assert d.child_ordering == TrackDescriptor.EXPLICIT
        tracks[d.uuid] = (path, d.HasField("counter"))
    elif kind == "track_event":
        events.append((packet.timestamp, packet.track_event, names, notes))
    else:
        raise SystemExit(f"a packet of {kind}")


def text(e, names, notes):
    out = f" {names[e.name_iid]}" if e.name_iid else ""
    for flow in e.flow_ids:
        out += f" flow={flow >> 32}/{flow & 0xffffffff}"
    for a in e.debug_annotations:
        value = a.string_value if a.HasField("string_value") else a.int_value
        out += f" {notes[a.name_iid]}={value}"
    return out


opened = {}
for at, e, names, notes in sorted(events, key=lambda x: x[0]):
    path, counter = tracks[e.track_uuid]
    if e.type == TrackEvent.TYPE_SLICE_BEGIN:
        assert e.track_uuid not in opened, "a slice within another"
        opened[e.track_uuid] = (at, text(e, names, notes))
    elif e.type == TrackEvent.TYPE_SLICE_END:
        start, rest = opened.pop(e.track_uuid)
        print(f"{path} {start}-{at}{rest}")
    elif e.type == TrackEvent.TYPE_INSTANT:
        print(f"{path} {at}{text(e, names, notes)}")
    else:
        assert e.type == TrackEvent.TYPE_COUNTER and counter
        value = e.double_counter_value if e.HasField("double_counter_value") else e.counter_value
        print(f"{path} {at} = {value:g}" if isinstance(value, float) else f"{path} {at} = {value}")
assert not opened, opened
