FROM berth-base/debian
RUN apt-get update && apt-get install -y --no-install-recommends golang-go && rm -rf /var/lib/apt/lists/*
CMD ["bash"]
