# docker build --build-arg VERSION=0.2.0 . : builds an image with the Debian package that `npm run release -- --dry-run` wrote to release/.
# BASE may be any other Debian or Ubuntu image, such as one with your own certificates.
ARG BASE=debian:12-slim
FROM ${BASE}
ARG VERSION
# Clusters choose the user, so every user may write to the home directory.
RUN --mount=type=bind,source=release,target=/release \
  dpkg --install "/release/svc_${VERSION}_$(dpkg --print-architecture).deb" \
  && useradd --uid 10001 --create-home svc \
  && chmod 1777 /home/svc
USER 10001
ENV HOME=/home/svc
WORKDIR /home/svc
ENTRYPOINT ["svc"]
