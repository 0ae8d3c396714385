// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "../SwarmFixture.sol";
import {SwarmHandler} from "./SwarmHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract SwarmInvariants is SwarmFixture {
    SwarmHandler internal handler;

    function setUp() public override {
        super.setUp();
        bytes32[] memory peers = new bytes32[](4);
        bytes32[] memory evaluators = new bytes32[](6);
        for (uint256 i = 0; i < 4; ++i) peers[i] = enrol(1 + i, accountNamed(i));
        for (uint256 i = 0; i < 6; ++i) {
            evaluators[i] = enrol(100 + i, accountNamed(100 + i));
            if (i < 5) votes.admitEvaluator(evaluators[i]);
        }
        handler = new SwarmHandler(
            SwarmHandler.Parts(registry, rounds, commitments, votes, address(this)),
            peers,
            evaluators
        );
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a score.
    function test_TheHandlerReachesScoresAndRefusals() public {
        for (uint256 i = 0; i < 24; ++i) handler.pass(uint256(keccak256(abi.encode(i))));
        vm.assertLe(6, handler.scored());
        vm.assertLe(12, handler.settlements());
        vm.assertLe(24, handler.refused());
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_S1_PointsAreTheSumOfSettledScores() public view {
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            vm.assertEq(votes.points(handler.peers(i)), handler.expectedPoints(handler.peers(i)));
        }
    }

    function invariant_S2_APeersRoundIsSettledOnce() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            for (uint256 i = 0; i < handler.PEERS(); ++i) {
                vm.assertLe(handler.timesSettled(round, handler.peers(i)), 1);
            }
        }
    }

    function invariant_S3_NothingIsSettledWithoutACommitmentInTime() public view {
        for (uint64 round = 0; round <= handler.lastRound(); ++round) {
            for (uint256 i = 0; i < handler.PEERS(); ++i) {
                bytes32 peer = handler.peers(i);
                if (handler.timesSettled(round, peer) != 0) vm.assertTrue(handler.committedInTime(round, peer));
            }
        }
    }

    function invariant_S4_NothingOutOfTimeOrTurnGetsThrough() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_V1_SeatsOfABegunRoundAreFrozen() public view {
        for (uint64 round = 0; round < handler.roundsSeen(); ++round) {
            vm.assertEq(keccak256(abi.encode(votes.seatsAt(round))), handler.seatsHash(round));
        }
    }

    function invariant_V2_SeatsAreDistinctAndAtMost14() public view {
        bytes32[] memory seats = votes.seatsAt(type(uint64).max);
        vm.assertLe(seats.length, votes.MAX_SEATS());
        for (uint256 i = 0; i < seats.length; ++i) {
            for (uint256 j = 0; j < i; ++j) vm.assertTrue(seats[i] != seats[j]);
        }
    }

    function invariant_R1_RoundsNeverGoBack() public view {
        vm.assertFalse(handler.wentBack());
        vm.assertLe(handler.lastRound(), rounds.currentRound());
    }

    function invariant_R2_BoundsOfABegunRoundNeverChange() public view {
        for (uint64 round = 0; round < handler.roundsSeen(); ++round) {
            vm.assertEq(rounds.startOf(round), handler.startsAtSec(round));
            if (round > 0) vm.assertEq(rounds.endOf(round - 1), handler.startsAtSec(round));
        }
    }
}
