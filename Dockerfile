# Builds an image of a checkout. Nothing has been released yet, so make the Debian package first: npm run release -- --dry-run writes it
# to release/. Then: docker build -t svc .
# BASE may be any other Debian or Ubuntu image, such as one with your own certificates.
ARG BASE=debian:12-slim
FROM ${BASE}
# Clusters choose the user, so every user may write to the home directory.
RUN --mount=type=bind,source=release,target=/release \
  dpkg --install /release/svc_*_"$(dpkg --print-architecture)".deb \
  && useradd --uid 10001 --create-home svc \
  && chmod 1777 /home/svc
USER 10001
ENV HOME=/home/svc
WORKDIR /home/svc
ENTRYPOINT ["svc"]
