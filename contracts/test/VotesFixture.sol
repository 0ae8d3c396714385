// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "./SwarmFixture.sol";

/// @dev Three evaluators who sit from round 0 on, and three solvers, each with an account of its own.
abstract contract VotesFixture is SwarmFixture {
    /// @dev What an evaluator commits to and reveals.
    struct Ballot {
        bytes32[] peerKeys;
        uint16[] scoresMilli;
        bytes32[] componentRoots;
        bytes32 contentId;
        bytes32 salt;
    }

    uint16 internal constant GONE = 65535;

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

    /// @dev A ballot with one score for the first solvers.
    function ballotOf(uint16[] memory scoresMilli) internal view returns (Ballot memory ballot) {
        ballot.peerKeys = new bytes32[](scoresMilli.length);
        ballot.componentRoots = new bytes32[](scoresMilli.length);
        for (uint256 i = 0; i < scoresMilli.length; ++i) {
            ballot.peerKeys[i] = solvers[i];
            ballot.componentRoots[i] = keccak256(abi.encode("components", i));
        }
        ballot.scoresMilli = scoresMilli;
        ballot.contentId = keccak256("sheet");
        ballot.salt = keccak256("salt");
    }

    function ballotOf(uint16 scoreMilli) internal view returns (Ballot memory ballot) {
        uint16[] memory one = new uint16[](1);
        one[0] = scoreMilli;
        return ballotOf(one);
    }

    function hashOf(uint64 round, bytes32 evaluator, Ballot memory ballot) internal view returns (bytes32 commitment) {
        return
            keccak256(
                abi.encode(
                    block.chainid,
                    address(votes),
                    round,
                    evaluator,
                    ballot.peerKeys,
                    ballot.scoresMilli,
                    ballot.componentRoots,
                    ballot.contentId,
                    ballot.salt
                )
            );
    }

    function commitBallot(uint64 round, bytes32 evaluator, Ballot memory ballot) internal {
        address account = registry.accountOf(evaluator);
        bytes32 commitment = hashOf(round, evaluator, ballot);
        vm.prank(account);
        votes.commitVotes(round, evaluator, commitment);
    }

    function revealBallot(uint64 round, bytes32 evaluator, Ballot memory ballot) internal {
        revealAs(registry.accountOf(evaluator), round, evaluator, ballot);
    }

    function revealAs(address account, uint64 round, bytes32 evaluator, Ballot memory ballot) internal {
        vm.prank(account);
        votes.revealVotes(
            round,
            evaluator,
            ballot.peerKeys,
            ballot.scoresMilli,
            ballot.componentRoots,
            ballot.contentId,
            ballot.salt
        );
    }

    /// @dev Plays round 0 up to settlement: `scores[i]` is the i-th evaluator's vote on the first solver.
    function voteOnFirstSolver(uint16[] memory scores) internal {
        commitRollouts(solvers[0]);
        enterRound(1);
        for (uint256 i = 0; i < scores.length; ++i) commitBallot(0, evaluators[i], ballotOf(scores[i]));
        enterRound(2);
        for (uint256 i = 0; i < scores.length; ++i) revealBallot(0, evaluators[i], ballotOf(scores[i]));
        enterRound(3);
    }

    function firstSolvers(uint256 count) internal view returns (bytes32[] memory keys) {
        keys = new bytes32[](count);
        for (uint256 i = 0; i < count; ++i) keys[i] = solvers[i];
    }
}
