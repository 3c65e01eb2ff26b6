FROM berth-base/debian
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-pip python3-venv && rm -rf /var/lib/apt/lists/*
# As in the official image: `python` is there, and pip may install without a virtual environment.
RUN ln -s python3 /usr/bin/python && rm -f /usr/lib/python3*/EXTERNALLY-MANAGED
CMD ["python3"]
