// Writes the heartbeats of turns and tasks; started by the agent as a thread of its own.
import '@berth/agent-store/heartbeat-thread';
