# One image for every role: `loom event-store`, `loom supervisor`, `loom timers`, `loom retention`, `loom migrate`, ...
# Pins and hashes are the repository's; nothing is built or fetched in the second stage.
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
WORKDIR /src
COPY requirements.txt requirements-dev.txt ./
RUN python -m venv /opt/tools && /opt/tools/bin/pip install --quiet --no-cache-dir --require-hashes -r requirements-dev.txt
RUN python -m venv /opt/loom && /opt/loom/bin/pip install --quiet --no-cache-dir --require-hashes -r requirements.txt
COPY shared shared
COPY services services
RUN /opt/tools/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels \
      ./shared/sdk ./shared/conformance ./shared/servicekit ./shared/cli \
      ./services/event-store ./services/supervisor ./services/timers ./services/retention \
 && /opt/loom/bin/pip install --quiet --no-cache-dir --no-deps --no-index /wheels/*.whl \
 && /opt/loom/bin/loom --help > /dev/null

FROM ${BASE}
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONFAULTHANDLER=1 PATH=/opt/loom/bin:$PATH
COPY --from=build /opt/loom /opt/loom
USER 10001:10001
ENTRYPOINT ["/opt/loom/bin/loom"]
CMD ["--help"]
