// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PeerRegistry} from "../../src/PeerRegistry.sol";
import {RewardVotes} from "../../src/RewardVotes.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Rounds} from "../../src/Rounds.sol";
import {Median} from "../Median.sol";
import {TestBase} from "../TestBase.sol";

/// @dev Plays a swarm at random, and keeps books of its own in the plainest form. What the contracts must refuse is
/// tried as well: `refused` counts what they refused, `slipped` what they let through.
contract SwarmHandler is TestBase {
    struct Parts {
        PeerRegistry registry;
        Rounds rounds;
        RolloutCommitments commitments;
        RewardVotes votes;
        address admin;
    }

    uint16 internal constant GONE = 65535;
    uint256 public constant PEERS = 4;
    uint256 public constant EVALUATORS = 6;

    Parts internal parts;
    bytes32[] public peers;
    bytes32[] public evaluators;

    mapping(uint64 round => mapping(bytes32 peerKey => bool)) public committedInTime;
    mapping(uint64 round => mapping(bytes32 peerKey => uint16[])) internal cast;
    mapping(uint64 round => mapping(bytes32 evaluatorKey => uint16[])) internal ballots;
    mapping(uint64 round => mapping(bytes32 peerKey => uint256)) public timesSettled;
    mapping(bytes32 peerKey => uint256) public expectedPoints;
    mapping(uint64 round => bytes32) public seatsHash;
    mapping(uint64 round => uint256) public seatCount;
    mapping(uint64 round => uint256) public startsAtSec;

    uint64 public lastRound;
    uint64 public roundsSeen;
    bool public wentBack;
    uint256 public settlements;
    uint256 public scored;
    uint256 public refused;
    uint256 public slipped;

    constructor(Parts memory parts_, bytes32[] memory peers_, bytes32[] memory evaluators_) {
        parts = parts_;
        peers = peers_;
        evaluators = evaluators_;
        observe();
    }

    /// @dev Mostly plays the round to its end first, else few peers would ever come as far as a score. Sometimes
    /// passes over several rounds.
    function pass(uint256 draw) external {
        if (draw % 16 != 0) {
            settle(draw >> 8);
            reveal(draw >> 8);
            vote(draw >> 8);
            commit(draw >> 8);
        }
        uint64 round = parts.rounds.currentRound();
        uint64 ahead = (draw >> 16) % 32 == 0 ? uint64(bound(draw >> 24, 2, 9)) : 1;
        vm.warp(bound(draw >> 32, parts.rounds.startOf(round + ahead), parts.rounds.endOf(round + ahead) - 1));
        if ((draw >> 40) % 16 != 0) openBeacon(parts.rounds, round + ahead - 1);
        observe();
    }

    function commit(uint256 draw) public {
        uint64 round = parts.rounds.currentRound();
        for (uint256 i = 0; i < PEERS; ++i) {
            if ((draw >> (3 * i)) & 3 == 0) continue;
            attemptCommit(round, peers[i], bytes32(draw | 1), true);
            committedInTime[round][peers[i]] = true;
        }
        bytes32 late = peers[draw % PEERS];
        if (round > 0) attemptCommit(round - 1, late, bytes32(draw | 1), false);
        attemptCommit(round + 1, late, bytes32(draw | 1), false);
    }

    function vote(uint256 draw) public {
        uint64 current = parts.rounds.currentRound();
        if (current == 0) return;
        uint64 round = current - 1;
        for (uint256 i = 0; i < EVALUATORS; ++i) {
            if ((draw >> (3 * i)) & 7 == 0) continue;
            uint16[] memory scores = new uint16[](PEERS);
            for (uint256 j = 0; j < PEERS; ++j) {
                uint256 word = uint256(keccak256(abi.encode(draw, i, j)));
                scores[j] = word % 4 == 0 ? GONE : uint16((word >> 8) % 1001);
            }
            (, uint256 beaconBlock) = parts.rounds.beaconStateOf(round);
            bool allowed = sits(round, evaluators[i]) && ballots[round][evaluators[i]].length == 0 && beaconBlock != 0;
            vm.prank(parts.registry.accountOf(evaluators[i]));
            try parts.votes.commitVotes(round, evaluators[i], hashOf(round, evaluators[i], scores)) {
                note(allowed);
                ballots[round][evaluators[i]] = scores;
            } catch {
                require(!allowed, "a good commitment was refused");
                ++refused;
            }
        }
    }

    function reveal(uint256 draw) public {
        uint64 current = parts.rounds.currentRound();
        if (current < 2) return;
        uint64 round = current - 2;
        for (uint256 i = 0; i < EVALUATORS; ++i) {
            if ((draw >> (3 * i)) & 7 == 0) continue;
            uint16[] memory scores = ballots[round][evaluators[i]];
            bool allowed = scores.length != 0 && !parts.votes.votesRevealed(round, evaluators[i]);
            if (scores.length == 0) scores = new uint16[](PEERS);
            tryReveal(round, evaluators[i], scores, allowed);
        }
    }

    function settle(uint256 draw) public {
        uint64 current = parts.rounds.currentRound();
        if (current < 3) return;
        for (uint256 i = 0; i < PEERS; ++i) if ((draw >> (3 * i)) & 7 != 0) attemptSettle(current - 3, peers[i], true);
        attemptSettle(current - 2, peers[draw % PEERS], false);
        if (current > 3) attemptSettle(current - 4, peers[draw % PEERS], false);
    }

    function changeSeats(uint256 draw) external {
        bytes32 evaluator = evaluators[draw % EVALUATORS];
        bool seated = sits(parts.rounds.firstOpenRound(), evaluator);
        vm.prank(parts.admin);
        if (seated) parts.votes.removeEvaluator(evaluator);
        else parts.votes.admitEvaluator(evaluator);
    }

    function changeSchedule(uint256 draw) external {
        uint64 fromRound = parts.rounds.firstOpenRound() + uint64(draw % 3);
        vm.prank(parts.admin);
        parts.rounds.setSchedule(fromRound, uint32(bound(draw >> 8, 1, 60)));
    }

    function attemptCommit(uint64 round, bytes32 peer, bytes32 root, bool allowed) internal {
        vm.prank(parts.registry.accountOf(peer));
        try parts.commitments.commit(round, peer, root, 1, root, root) {
            note(allowed);
        } catch {
            require(!allowed, "a good commitment was refused");
            ++refused;
        }
    }

    function attemptSettle(uint64 round, bytes32 peer, bool inTime) internal {
        bytes32[] memory page = new bytes32[](1);
        page[0] = peer;
        (uint8 before, ) = parts.votes.outcomeOf(round, peer);
        bool allowed = inTime && committedInTime[round][peer];
        try parts.votes.settle(round, page) {
            note(allowed);
        } catch {
            require(!allowed, "a good settlement was refused");
            ++refused;
            return;
        }
        (uint8 actual, uint16 actualScore) = parts.votes.outcomeOf(round, peer);
        if (timesSettled[round][peer] != 0) {
            if (actual != before || parts.votes.points(peer) != expectedPoints[peer]) ++timesSettled[round][peer];
            return;
        }
        timesSettled[round][peer] = 1;
        ++settlements;
        uint256 quorum = seatCount[round] / 2 + 1;
        uint16[] memory votesCast = cast[round][peer];
        (uint8 outcome, uint16 score) = Median.outcome(votesCast, votesCast.length, quorum < 2 ? 2 : quorum);
        expectedPoints[peer] += score;
        if (outcome == 1) ++scored;
        require(actual == outcome && actualScore == score, "settled otherwise than the plain rule says");
    }

    function tryReveal(uint64 round, bytes32 evaluator, uint16[] memory scores, bool allowed) internal {
        (bytes32[] memory keys, uint16[] memory given) = onCommitted(round, scores);
        vm.prank(parts.registry.accountOf(evaluator));
        try parts.votes.revealVotes(round, evaluator, keys, given, keys, bytes32(0), bytes32(0)) {
            note(allowed);
            for (uint256 i = 0; i < keys.length; ++i) cast[round][keys[i]].push(given[i]);
        } catch {
            require(!allowed, "a good reveal was refused");
            ++refused;
        }
    }

    /// @dev Keeps the books of time: seats and start of each round, as they stand when it begins.
    function observe() internal {
        uint64 round = parts.rounds.currentRound();
        if (round < lastRound) wentBack = true;
        lastRound = round;
        for (; roundsSeen <= round; ++roundsSeen) {
            bytes32[] memory seats = parts.votes.seatsAt(roundsSeen);
            seatsHash[roundsSeen] = keccak256(abi.encode(seats));
            seatCount[roundsSeen] = seats.length;
            startsAtSec[roundsSeen] = parts.rounds.startOf(roundsSeen);
        }
    }

    function note(bool allowed) internal {
        if (!allowed) ++slipped;
    }

    function sits(uint64 round, bytes32 evaluator) internal view returns (bool seated) {
        bytes32[] memory seats = parts.votes.seatsAt(round);
        for (uint256 i = 0; i < seats.length; ++i) if (seats[i] == evaluator) return true;
    }

    function hashOf(uint64 round, bytes32 evaluator, uint16[] memory scores) internal view returns (bytes32 hash) {
        (bytes32[] memory keys, uint16[] memory given) = onCommitted(round, scores);
        return
            keccak256(
                abi.encode(
                    block.chainid,
                    address(parts.votes),
                    round,
                    evaluator,
                    keys,
                    given,
                    keys,
                    bytes32(0),
                    bytes32(0)
                )
            );
    }

    /// @dev The peers with a commitment in the round, and their scores.
    function onCommitted(
        uint64 round,
        uint16[] memory scores
    ) internal view returns (bytes32[] memory keys, uint16[] memory given) {
        uint256 count = 0;
        for (uint256 i = 0; i < PEERS; ++i) if (committedInTime[round][peers[i]]) ++count;
        keys = new bytes32[](count);
        given = new uint16[](count);
        for (uint256 i = PEERS; i > 0; --i) {
            if (!committedInTime[round][peers[i - 1]]) continue;
            --count;
            (keys[count], given[count]) = (peers[i - 1], scores[i - 1]);
        }
    }
}
