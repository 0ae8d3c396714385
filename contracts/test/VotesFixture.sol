// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

/// @dev Three evaluators who sit from round 0 on, and three solvers, each with its own account.
abstract contract VotesFixture is SwarmFixture {
    uint16 internal constant GONE = 65535;
    bytes32 internal constant SALT = keccak256("salt");

    bytes32[] internal evaluators;
    bytes32[] internal solvers;

    function setUp() public virtual override {
        super.setUp();
        vm.warp(START - 1);
        for (uint256 i = 0; i < 3; ++i) {
            evaluators.push(enrol(100 + i, accountNamed(100 + i)));
            solvers.push(enrol(200 + i, accountNamed(200 + i)));
            votes.admitEvaluator(evaluators[i]);
        }
        vm.warp(START);
    }

    /// @dev An evaluator's ballot on shard 0 of a round.
    function ballotOf(
        uint64 round,
        bytes32 evaluatorKey,
        uint16[] memory scoresMilli
    ) internal returns (IRewardVotes.Ballot memory ballot) {
        ballot.round = round;
        ballot.position = positionOf(round, 0, evaluatorKey);
        ballot.evaluatorKey = evaluatorKey;
        ballot.scoresMilli = scoresMilli;
        ballot.componentRoots = new bytes32[](scoresMilli.length);
        for (uint256 i = 0; i < scoresMilli.length; ++i) {
            ballot.componentRoots[i] = keccak256(abi.encode("components", i));
        }
        ballot.contentId = keccak256("ballot");
    }

    /// @dev Records the beacon of the round, which must be due.
    function positionOf(uint64 round, uint32 shard, bytes32 evaluatorKey) internal returns (uint8 position) {
        rounds.drawBeacon(round);
        bytes32[] memory committee = votes.committeeOf(round, shard);
        while (position < committee.length && committee[position] != evaluatorKey) ++position;
    }

    function hashOf(IRewardVotes.Ballot memory ballot) internal view returns (bytes32 commitment) {
        return keccak256(abi.encode(block.chainid, address(votes), ballot, SALT));
    }

    function commitBallot(IRewardVotes.Ballot memory ballot) internal {
        commitAs(registry.accountOf(ballot.evaluatorKey), ballot);
    }

    function commitAs(address account, IRewardVotes.Ballot memory ballot) internal {
        bytes32 commitment = hashOf(ballot);
        vm.prank(account);
        votes.commitVotes(ballot.round, ballot.shard, ballot.position, ballot.evaluatorKey, commitment);
    }

    function revealBallot(IRewardVotes.Ballot memory ballot) internal {
        votes.revealVotes(ballot, SALT);
    }

    /// @dev Plays round 0 up to settlement: `scores[i]` is the i-th evaluator's vote on the first solver.
    function voteOnFirstSolver(uint16[] memory scores) internal {
        commitRollouts(solvers[0]);
        voteOn(0, scores);
    }

    /// @dev Plays a round, in which one peer committed, from its votes up to settlement.
    function voteOn(uint64 round, uint16[] memory scores) internal {
        IRewardVotes.Ballot[] memory ballots = new IRewardVotes.Ballot[](scores.length);
        enterRound(round + 1);
        rounds.drawBeacon(round);
        for (uint256 i = 0; i < scores.length; ++i) {
            ballots[i] = ballotOf(round, evaluators[i], scoresOf(scores[i]));
            commitBallot(ballots[i]);
        }
        enterRound(round + 2);
        for (uint256 i = 0; i < scores.length; ++i) revealBallot(ballots[i]);
        enterRound(round + 3);
    }

    /// @dev Plays a round from its votes up to settlement; the first two evaluators vote alike.
    function voteAlike(uint64 round, uint16[] memory scores) internal {
        voteAndReveal(round, scores);
        enterRound(round + 3);
    }

    /// @dev The same, up to the reveals.
    function voteAndReveal(uint64 round, uint16[] memory scores) internal {
        IRewardVotes.Ballot[2] memory ballots;
        enterRound(round + 1);
        for (uint256 i = 0; i < 2; ++i) {
            ballots[i] = ballotOf(round, evaluators[i], scores);
            commitBallot(ballots[i]);
        }
        enterRound(round + 2);
        for (uint256 i = 0; i < 2; ++i) revealBallot(ballots[i]);
    }

    function firstSolvers(uint256 count) internal view returns (bytes32[] memory keys) {
        keys = new bytes32[](count);
        for (uint256 i = 0; i < count; ++i) keys[i] = solvers[i];
    }

    function scoresOf(uint16 a) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](1);
        scores[0] = a;
    }

    function scoresOf(uint16 a, uint16 b) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](2);
        (scores[0], scores[1]) = (a, b);
    }

    function scoresOf(uint16 a, uint16 b, uint16 c) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](3);
        (scores[0], scores[1], scores[2]) = (a, b, c);
    }
}
