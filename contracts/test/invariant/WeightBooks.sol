// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {TestBase} from "../TestBase.sol";

/// @dev The books of what scores weigh, and rounds.
abstract contract WeightBooks is TestBase {
    uint256 public constant PEERS = 4;

    bytes32[] public peers;
    mapping(uint64 round => mapping(bytes32 peerKey => uint256)) public expectedScore;
    /// @dev Rounds that were judged and were no outage, and what a peer had scored in the seven of those before a round.
    uint64[] internal counted;
    mapping(uint64 round => mapping(bytes32 peerKey => uint256)) internal scoredBefore;
    /// @dev Weight of a counted round when the next one was, and the mean of those before a round.
    mapping(uint64 round => uint256) internal weighed;
    mapping(uint64 round => uint256) public expectedMean;

    /// @dev Before the first page of a round.
    function count(uint64 round, bool isOutage) internal {
        if (counted.length != 0) weighed[counted[counted.length - 1]] = totalOf(counted[counted.length - 1]);
        expectedMean[round] = meanOfCounted();
        if (!isOutage) counted.push(round);
    }

    /// @dev Weight of the scores of a round.
    function totalOf(uint64 round) public view returns (uint256 total) {
        for (uint256 i = 0; i < PEERS; ++i) total += weightOf(round, peers[i]);
    }

    /// @dev The mean of what the rounds weigh that were counted so far, of 32 or with a 32nd for each.
    function meanOfCounted() internal view returns (uint256 mean) {
        for (uint256 i = 0; i < counted.length; ++i) {
            uint256 span = i < 32 ? i + 1 : 32;
            mean = (mean * (span - 1) + weighed[counted[i]]) / span;
        }
    }

    /// @dev A score, or five quarters of the mean of the last eight if that is less; in 32nds.
    function weightOf(uint64 round, bytes32 peer) internal view returns (uint256 weight) {
        uint256 score = expectedScore[round][peer];
        uint256 most = 5 * (scoredBefore[round][peer] + score);
        return 32 * score < most ? 32 * score : most;
    }

    function sumBefore(uint64 round, bytes32 peer) internal view returns (uint256 sum) {
        uint256 seen = 0;
        for (uint256 i = counted.length; i > 0 && seen < 7; --i) {
            if (counted[i - 1] == round) continue;
            sum += expectedScore[counted[i - 1]][peer];
            ++seen;
        }
    }
}
