FROM berth-base/debian
COPY go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH
CMD ["bash"]
