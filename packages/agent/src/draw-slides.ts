// Draws slides of a PDF; started by the renderer as a process of its own.
import '@berth/agent-render/draw-slides';
