-- Sends a body of as many bytes as the argument says, if any.
init = function(args)
  local bytes = tonumber(args[1])
  if bytes > 0 then
    wrk.method = 'POST'
    wrk.body = string.rep('x', bytes)
  end
end

-- What the run came to, as one line of JSON; times in microseconds.
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"durationUs":%d,"failures":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
