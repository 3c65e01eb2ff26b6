// Writes the heartbeats of turns; started by the engine of runs as a thread of its own.
import '@berth/agent-store/heartbeat-thread';
