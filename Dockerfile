# docker build --build-arg VERSION=0.2.0 . : an image of the Debian package that `npm run release -- --dry-run` left in release/.
# BASE may be any other Debian or Ubuntu, such as one with certificates of your own.
ARG BASE=debian:12-slim
FROM ${BASE}
ARG VERSION
# Every user may write in the home directory: clusters choose the user.
RUN --mount=type=bind,source=release,target=/release \
  dpkg --install "/release/svc_${VERSION}_$(dpkg --print-architecture).deb" \
  && useradd --uid 10001 --create-home svc \
  && chmod 1777 /home/svc
USER 10001
ENV HOME=/home/svc
WORKDIR /home/svc
ENTRYPOINT ["svc"]
