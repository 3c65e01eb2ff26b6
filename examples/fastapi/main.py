import os
from datetime import datetime, timezone

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI(title="Notes", description="Notes in memory: gone when the instance stops.")

notes: dict[int, "Note"] = {}


class NewNote(BaseModel):
    text: str = Field(min_length=1, max_length=1000)


class Note(NewNote):
    id: int
    created_at: datetime


@app.get("/")
def about() -> dict[str, str]:
    return {
        "message": "Hello from FastAPI",
        "service": os.environ.get("K_SERVICE", "local"),
        "docs": "/docs",
    }


@app.get("/notes")
def list_notes() -> list[Note]:
    return list(notes.values())


@app.post("/notes", status_code=201)
def add_note(note: NewNote) -> Note:
    added = Note(id=len(notes) + 1, text=note.text, created_at=datetime.now(timezone.utc))
    notes[added.id] = added
    return added


@app.get("/notes/{note_id}")
def get_note(note_id: int) -> Note:
    if note_id not in notes:
        raise HTTPException(404, f"no note {note_id}")
    return notes[note_id]
